//! Handles errors by the types that the generator has made of them: errors URL

mod todo;

use todo::{ApiError, ApiOpError, GetTodoApiError, HttpClient, UpdateTodo, UpdateTodoApiError};

const NONE: Option<&str> = None;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = std::env::args().nth(1).expect("usage: errors URL");
    let client = HttpClient::new().with_base_url(url);

    let missing = error_of(client.get_todo(999, NONE, NONE).await);
    let Some(GetTodoApiError::Status404(problem)) = missing.typed else {
        panic!("{missing:?}")
    };
    assert_eq!(problem.code, "not-found");

    let update = UpdateTodo {
        completed: Some(Some(true)),
        ..Default::default()
    };
    let stale = error_of(client.update_todo(1, Some("\"old\""), NONE, update).await);
    let Some(UpdateTodoApiError::Status412(problem)) = stale.typed else {
        panic!("{stale:?}")
    };
    assert_eq!(problem.code, "precondition-failed");
}

fn error_of<T, E: std::fmt::Debug>(result: Result<T, ApiOpError<E>>) -> ApiError<E> {
    match result {
        Ok(_) => panic!("the call succeeded"),
        Err(ApiOpError::Transport(error)) => panic!("{error}"),
        Err(ApiOpError::Api(error)) => error,
    }
}
