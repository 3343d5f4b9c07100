package todo

import jakarta.persistence.*
import jakarta.validation.Valid
import jakarta.validation.constraints.*
import java.io.File
import org.springframework.beans.factory.InitializingBean
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.json.JsonParserFactory
import org.springframework.boot.runApplication
import org.springframework.context.annotation.Bean
import org.springframework.data.domain.*
import org.springframework.data.jpa.repository.JpaRepository
import org.springframework.data.jpa.repository.Query
import org.springframework.http.HttpStatus
import org.springframework.stereotype.Service
import org.springframework.transaction.annotation.Transactional
import org.springframework.web.bind.annotation.*
import org.springframework.web.server.ResponseStatusException

/* The service as one would write it with Spring Boot, Spring Data JPA and H2 in memory. */

@Entity
class Todo(
    @Id @GeneratedValue(strategy = GenerationType.IDENTITY) var id: Int? = null,
    @Column(length = 200, nullable = false) var title: String = "",
    @Column(length = 1000) var description: String = "",
    @Column(nullable = false) var completed: Boolean = false,
    @Column(nullable = false) var priority: Int = 3,
)

data class TodoDto(
    val id: Int?, val title: String, val description: String, val completed: Boolean,
    val priority: Int,
)

data class CreateTodoReq(
    @field:NotBlank @field:Size(min = 1, max = 200) val title: String,
    @field:Size(max = 1000) val description: String = "",
    @field:Min(1) @field:Max(5) val priority: Int = 3,
)

data class UpdateTodoReq(
    @field:Size(min = 1, max = 200) val title: String?,
    @field:Size(max = 1000) val description: String?,
    val completed: Boolean?,
    @field:Min(1) @field:Max(5) val priority: Int?,
)

interface TodoRepository : JpaRepository<Todo, Int> {
    @Query(
        "select t from Todo t where lower(t.title) like lower(concat('%', :text, '%')) " +
            "or lower(t.description) like lower(concat('%', :text, '%'))"
    )
    fun search(text: String, page: Pageable): List<Todo>
}

@Service
class TodoService(private val todos: TodoRepository) {
    @Transactional(readOnly = true)
    fun list(search: String?, offset: Int, limit: Int): List<TodoDto> {
        val sort = Sort.by("id")
        val page = if (limit == 0) Pageable.unpaged(sort) else PageRequest.of(offset / limit, limit, sort)
        val found = if (search.isNullOrBlank()) todos.findAll(page).content else todos.search(search, page)
        return found.map(::dto)
    }

    @Transactional(readOnly = true) fun get(id: Int) = dto(find(id))

    @Transactional
    fun create(request: CreateTodoReq) =
        dto(todos.save(Todo(null, request.title, request.description, false, request.priority)))

    @Transactional
    fun update(id: Int, request: UpdateTodoReq): TodoDto {
        val todo = find(id)
        request.title?.let { todo.title = it }
        request.description?.let { todo.description = it }
        request.completed?.let { todo.completed = it }
        request.priority?.let { todo.priority = it }
        return dto(todos.save(todo))
    }

    @Transactional fun delete(id: Int) = todos.deleteById(id)

    private fun find(id: Int) =
        todos.findById(id).orElseThrow {
            ResponseStatusException(HttpStatus.NOT_FOUND, "Todo with id $id was not found")
        }

    private fun dto(todo: Todo) =
        TodoDto(todo.id, todo.title, todo.description, todo.completed, todo.priority)
}

@RestController
@RequestMapping("/api/todos")
class TodoController(private val service: TodoService) {
    @GetMapping
    fun list(
        @RequestParam search: String?,
        @RequestParam(defaultValue = "0") offset: Int,
        @RequestParam(defaultValue = "0") limit: Int,
    ) = service.list(search, offset, limit)

    @GetMapping("/{id}") fun get(@PathVariable id: Int) = service.get(id)

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    fun create(@Valid @RequestBody request: CreateTodoReq) = service.create(request)

    @PutMapping("/{id}")
    fun update(@PathVariable id: Int, @Valid @RequestBody request: UpdateTodoReq) =
        service.update(id, request)

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    fun delete(@PathVariable id: Int) = service.delete(id)
}

@SpringBootApplication
class Application {
    /** Starts with the rows of the file in the environment variable SEED, one JSON text per line. */
    @Bean
    fun seed(service: TodoService) = InitializingBean {
        val file = System.getenv("SEED") ?: return@InitializingBean
        File(file).forEachLine { if (it.isNotEmpty()) service.create(row(it)) }
    }

    private fun row(line: String): CreateTodoReq {
        val members = JsonParserFactory.getJsonParser().parseMap(line)
        return CreateTodoReq(
            members["title"] as String,
            members["description"] as? String ?: "",
            members["priority"] as? Int ?: 3,
        )
    }
}

fun main(arguments: Array<String>) {
    runApplication<Application>(*arguments)
}
