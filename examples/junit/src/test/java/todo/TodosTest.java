package todo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(TodoService.class)
class TodosTest {
  @BeforeEach
  void fill(TodoList list) {
    TodoList.send("POST", list.url + "/api/todos", "{\"title\": \"Call Anna\"}");
  }

  @Test
  void theListIsThatOfTheSetup(TodoList list) {
    assertTrue(itemsOf(list).matches(".*Buy milk.*Call Anna.*"));
  }

  @Test
  void theListOfAnotherTestIsAnotherList(TodoList list) {
    TodoList.send("DELETE", list.url + "/api/todos?id.gte=1", "");
    assertEquals("[]", itemsOf(list));
  }

  @Test
  void aMissingItemIs404(TodoList list) {
    assertEquals(404, TodoList.send("GET", list.url + "/api/todos/3", "").statusCode());
  }

  @Test
  void theServiceFailsTwice(TodoList list) {
    list.setFaults("[{\"status\": 503, \"times\": 2}]");
    var url = list.url + "/api/todos";
    var statuses = Stream.generate(() -> TodoList.send("GET", url, "").statusCode()).limit(3);
    assertEquals(List.of(503, 503, 200), statuses.toList());
  }

  private static String itemsOf(TodoList list) {
    return TodoList.send("GET", list.url + "/api/todos", "").body();
  }
}
