import org.openapitools.client.apis.*
import org.openapitools.client.infrastructure.*
import org.openapitools.client.models.*

/** Uses the operations through the generated client, unmodified: Program URL TOKEN */
fun main(arguments: Array<String>) {
    val (url, token) = arguments
    val todos = TodosApi(url)
    val admin = AdminApi(url)
    ApiClient.accessToken = token

    val created = todos.createTodo(CreateTodo("Buy milk 😀"))
    expect(created.priority == 3, created)
    val several = todos.createTodos(listOf(CreateTodo("Buy bread"), CreateTodo("Call home")))
    expect(several.map { it.title } == listOf("Buy bread", "Call home"), several)

    val found = todos.listTodos(
        titleContains = "milk", completed = false, idIn = listOf(created.id), search = "MILK",
        where = """{"or":[{"priority":3},{"completed":true}]}""", sort = "-priority,id", limit = 5,
    )
    expect(found == listOf(created), found)

    val read = todos.getTodoWithHttpInfo(created.id, null, null)
    val tag = read.headers.entries.first { it.key.equals("etag", true) }.value.first()
    val put = todos.updateTodo(created.id, UpdateTodo(completed = true), tag)
    expect(put == created.copy(completed = true), put)
    val patch = PatchTodo(priority = 5)
    expect("precondition-failed" in problem(412) { todos.patchTodo(created.id, patch, tag) })
    expect(todos.patchTodo(created.id, patch).priority == 5)

    expect(todos.patchTodos(PatchTodo(completed = false), priorityGte = 5).updated == 1)
    expect("condition-required" in problem(400) { todos.deleteTodos() })
    expect(todos.deleteTodos(titleStartsWith = "B").deleted == 2)
    todos.deleteTodo(several[1].id)
    expect("not-found" in problem(404) { todos.getTodo(created.id) })
    val refused = problem(400) { todos.createTodo(CreateTodo(" ", priority = 9)) }
    val errors = Serializer.moshi.adapter(Problem::class.java).fromJson(refused)?.errors
    expect(errors?.last()?.code == "maximum", errors)

    val injected = Fault(status = 503, times = 1, headers = mapOf("Retry-After" to "1"))
    val lost = Fault(abort = Fault.Abort.after)
    val listed = admin.setFaults(Faults(listOf(injected, lost))).faults
    expect(listed.map { it.hits } == listOf(0, 0), listed)
    expect("injected-fault" in problem(503) { todos.listTodos() })
    expect(admin.clearFaults().faults.isEmpty())
    expect(admin.getRequests(method = "POST", status = 201).requests.size == 2)
    admin.reset(listOf(SeedInner("seeded", completed = true)))
    expect(todos.listTodos().single().completed)
    expect(todos.deleteTodos(where = "{}").deleted == 1)
    ApiClient.accessToken = "another"
    expect("unauthorized" in problem(401) { admin.reset() })
}

/** The content of the response with which a call must fail. */
fun problem(status: Int, call: () -> Unit): String {
    val (code, response) = try {
        call()
        throw AssertionError("the call succeeded")
    } catch (error: ClientException) {
        error.statusCode to (error.response as ClientError<*>).body
    } catch (error: ServerException) {
        error.statusCode to (error.response as ServerError<*>).body
    }
    expect(code == status, code)
    return response.toString()
}

fun expect(isTrue: Boolean, details: Any? = null) {
    if (!isTrue) throw AssertionError("$details")
}
