import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.TodosApi;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.UpdateTodo;

/** Handles errors by the type that the generator has made of them: Errors URL */
public class Errors {
  interface Call {
    void run() throws ApiException;
  }

  public static void main(String[] arguments) {
    var todos = new TodosApi(new ApiClient().setBasePath(arguments[0]));
    expect(problem(404, () -> todos.getTodo(999, null, null)), "not-found");
    var update = new UpdateTodo().completed(true);
    expect(problem(412, () -> todos.updateTodo(1, update, "\"old\"", null)), "precondition-failed");
  }

  static Problem problem(int status, Call call) {
    try {
      call.run();
    } catch (ApiException error) {
      if (error.getCode() == status && error.getErrorEntity() instanceof Problem problem) {
        return problem;
      }
      throw new AssertionError(error);
    }
    throw new AssertionError("the call succeeded");
  }

  static void expect(Problem problem, String code) {
    if (!problem.getCode().equals(code)) throw new AssertionError(problem);
  }
}
