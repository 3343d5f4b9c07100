package todo;

import java.io.IOException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.*;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Starts one service for the whole run, and gives each test a {@link TodoList} if it asks for one. */
public class TodoService implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(TodoService.class);
  private static final Pattern PORT = Pattern.compile("\"port\":(\\d+)");

  /** A process that stops when its standard input is closed. */
  private record Running(Process process, String url) implements AutoCloseable {
    static Running start() {
      try {
        var process =
            new ProcessBuilder("node", "../../dist/todo-service.cjs", "--port=0",
                    "--exit-with-stdin=on", "--admin-token=secret")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        for (String line; (line = process.inputReader().readLine()) != null; ) {
          var port = PORT.matcher(line);
          if (port.find()) return new Running(process, "http://localhost:" + port.group(1));
        }
        throw new IllegalStateException("the service has not started; its reason is above");
      } catch (IOException error) {
        throw new IllegalStateException("node cannot be started", error);
      }
    }

    @Override
    public void close() throws Exception {
      process.outputWriter().close();
      process.waitFor();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == TodoList.class;
  }

  /** Gives a constructor the list of the test for which it makes an instance. */
  @Override
  public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
    return ExtensionContextScope.TEST_METHOD;
  }

  @Override
  public TodoList resolveParameter(ParameterContext parameter, ExtensionContext test) {
    // JUnit closes what its stores have: the list after its test, the service after the run.
    var service =
        test.getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent("service", key -> Running.start(), Running.class);
    // A test has one list, which its setup gets, too. That of `@BeforeAll` is another one.
    return test.getStore(NAMESPACE)
        .computeIfAbsent(
            test.getUniqueId(),
            id -> new TodoList(service.url(), UUID.randomUUID().toString()),
            TodoList.class);
  }
}
