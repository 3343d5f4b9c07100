import java.util.*;
import org.openapitools.client.*;
import org.openapitools.client.api.*;
import org.openapitools.client.api.AdminApi.APIGetRequestsRequest;
import org.openapitools.client.api.TodosApi.*;
import org.openapitools.client.model.*;

/** Uses the operations through the generated client, unmodified: Program URL TOKEN */
public class Program {
  static String url;

  interface Call {
    void run() throws ApiException;
  }

  public static void main(String[] arguments) throws Exception {
    url = arguments[0];
    var todos = new TodosApi(client(""));
    var admin = new AdminApi(client(arguments[1]));

    var created = todos.createTodo(new CreateTodo().title("Buy milk 😀"));
    expect(created.getPriority() == 3, created);
    var more = List.of(new CreateTodo().title("Buy bread"), new CreateTodo().title("Call home"));
    var several = todos.createTodos(more);
    expect(several.size() == 2 && several.get(1).getTitle().equals("Call home"), several);

    var where = "{\"or\":[{\"priority\":3},{\"completed\":true}]}";
    var conditions = APIListTodosRequest.newBuilder().titleContains("milk").completed(false)
        .idIn(List.of(created.getId())).where(where).search("MILK");
    var found = todos.listTodosWithHttpInfo(conditions.sort("-priority,id").limit(5).build());
    expect(found.getData().equals(List.of(created)), found.getData());
    expect(found.getHeaders().get("x-total-count").equals(List.of("1")), found.getHeaders());

    var id = created.getId();
    var tag = todos.getTodoWithHttpInfo(id, null, null).getHeaders().get("etag").get(0);
    var put = todos.updateTodo(id, new UpdateTodo().completed(true), tag, null);
    expect(put.getCompleted() && put.getTitle().equals(created.getTitle()), put);
    var patch = new PatchTodo().priority(5);
    expect(problem(412, () -> todos.patchTodo(id, patch, tag, null)).contains("precondition-failed"));
    expect(todos.patchTodo(id, patch, null, null).getPriority() == 5);

    var undone = todos.patchTodos(APIPatchTodosRequest.newBuilder().priorityGte(5)
        .patchTodo(new PatchTodo().completed(false)).build());
    expect(undone.getUpdated() == 1, undone);
    expect(problem(400, () -> todos.deleteTodos(APIDeleteTodosRequest.newBuilder().build())).contains("condition-required"));
    var bread = APIDeleteTodosRequest.newBuilder().titleStartsWith("B").build();
    expect(todos.deleteTodos(bread).getDeleted() == 2);
    todos.deleteTodo(several.get(1).getId(), null, null);
    expect(problem(404, () -> todos.getTodo(id, null, null)).contains("not-found"));

    var refused = problem(400, () -> todos.createTodo(new CreateTodo().title(" ").priority(9)));
    var errors = new ApiClient().getObjectMapper().readValue(refused, Problem.class).getErrors();
    expect("maximum".equals(errors.get(1).getCode()), errors);

    var injected = new Fault().status(503).times(1).headers(Map.of("Retry-After", "1"));
    var lost = new Fault().abort(Fault.AbortEnum.AFTER);
    var listed = admin.setFaults(new Faults().faults(List.of(injected, lost))).getFaults();
    expect(listed.get(0).getHits() == 0, listed);
    var all = APIListTodosRequest.newBuilder().build();
    expect(problem(503, () -> todos.listTodos(all)).contains("injected-fault"));
    expect(admin.clearFaults().getFaults().isEmpty());
    var posts = APIGetRequestsRequest.newBuilder().method("POST").status(201).build();
    var journal = admin.getRequests(posts).getRequests();
    expect(journal.size() == 2, journal);
    expect(problem(401, () -> new AdminApi(client("x")).reset(List.of())).contains("unauthorized"));
    admin.reset(List.of(new SeedInner().title("seeded").completed(true)));
    expect(todos.listTodos(all).get(0).getCompleted());
    var rest = APIDeleteTodosRequest.newBuilder().priorityGte(1).build();
    expect(todos.deleteTodos(rest).getDeleted() == 1);
  }

  static ApiClient client(String token) {
    return new ApiClient()
        .setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token))
        .setBasePath(url.replaceFirst("^.*//[^/]*", ""))
        .setHost(java.net.URI.create(url).getHost())
        .setPort(java.net.URI.create(url).getPort())
        .setScheme("http");
  }

  static String problem(int status, Call call) {
    try {
      call.run();
    } catch (ApiException error) {
      expect(error.getCode() == status, error.getResponseBody());
      return error.getResponseBody();
    }
    throw new AssertionError("the call succeeded");
  }

  static void expect(boolean isTrue, Object... details) {
    if (!isTrue) throw new AssertionError(Arrays.toString(details));
  }
}
