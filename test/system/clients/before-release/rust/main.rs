//! Uses the operations through the generated client, unmodified: main URL TOKEN
use openapi::apis::configuration::Configuration;
use openapi::apis::{admin_api as admin, todos_api as todos, Error};
use openapi::models as m;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let configured = |token: &str| Configuration {
        base_path: arguments[1].clone(),
        bearer_access_token: Some(token.into()),
        ..Configuration::default()
    };
    let (client, stranger) = (configured(&arguments[2]), configured("another"));

    let created = todos::create_todo(&client, create("Buy milk 😀")).await.unwrap();
    assert_eq!((created.title.as_str(), created.priority), ("Buy milk 😀", 3));
    let more = vec![create("Buy bread"), create("Call home")];
    let several = todos::create_todos(&client, more).await.unwrap();
    assert_eq!(several[1].title, "Call home");

    let condition = r#"{"or":[{"priority":3},{"completed":true}]}"#;
    let found = todos::list_todos(&client, /* title_contains: Some("milk"), search: Some("MILK"),
        completed: Some(false), id_in: Some(vec![created.id]), sort: Some("-priority,id"),
        limit: Some(5), r#where: Some(condition) */).await.unwrap();
    assert_eq!(found, vec![created.clone()]);

    let update = m::UpdateTodo { completed: Some(Some(true)), ..Default::default() };
    let put = todos::update_todo(&client, created.id, update, Some("*"), None).await.unwrap();
    assert!(put.completed);
    let patch = m::PatchTodo { priority: Some(5), ..Default::default() };
    let stale = todos::patch_todo(&client, created.id, patch.clone(), Some("\"x\""), None).await;
    assert_eq!(problem(stale)["code"], "precondition-failed");
    let patched = todos::patch_todo(&client, created.id, patch, None, None).await.unwrap();
    assert_eq!(patched.priority, 5);

    let undo = m::PatchTodo { completed: Some(false), ..Default::default() };
    let undone = todos::patch_todos(&client, /* patch_todo: undo, priority_gte: Some(5) */).await;
    assert_eq!(undone.unwrap().updated, 1);
    let refused = todos::delete_todos(&client, /* */).await;
    assert_eq!(problem(refused)["code"], "condition-required");
    let deleted = todos::delete_todos(&client, /* title_starts_with: Some("B") */).await;
    assert_eq!(deleted.unwrap().deleted, 2);
    todos::delete_todo(&client, several[1].id, None, None).await.unwrap();
    let missing = todos::get_todo(&client, created.id, None, None).await;
    assert_eq!(problem(missing)["code"], "not-found");
    let broken = m::CreateTodo { priority: Some(9), ..create(" ") };
    let refused = problem(todos::create_todo(&client, broken).await);
    assert_eq!(refused["errors"][1]["code"], "maximum");

    let injected = m::Fault { status: Some(503), times: Some(1), ..Default::default() };
    let lost = m::Fault { abort: Some(m::fault::Abort::After), ..Default::default() };
    let faults = m::Faults::new(vec![injected, lost]);
    let listed = admin::set_faults(&client, faults).await.unwrap().faults;
    assert_eq!(listed[1].abort, Some(m::listed_fault::Abort::After));
    let failed = todos::list_todos(&client, /* */).await;
    assert_eq!(problem(failed)["code"], "injected-fault");
    assert!(admin::clear_faults(&client).await.unwrap().faults.is_empty());
    let journal = admin::get_requests(&client, /* method: Some("POST"), status: Some(201) */).await;
    assert_eq!(journal.unwrap().requests.len(), 2);
    assert_eq!(problem(admin::reset(&stranger, None).await)["code"], "unauthorized");
    let seed = m::SeedInner { completed: Some(true), ..m::SeedInner::new("seeded".into()) };
    admin::reset(&client, Some(vec![seed])).await.unwrap();
    assert!(todos::list_todos(&client, /* */).await.unwrap()[0].completed);
    assert_eq!(todos::delete_todos(&client, /* r#where: Some("{}") */).await.unwrap().deleted, 1);
}

fn create(title: &str) -> m::CreateTodo {
    m::CreateTodo::new(title.into())
}

/// The content of the response with which a call must fail.
fn problem<T, E>(result: Result<T, Error<E>>) -> serde_json::Value {
    match result {
        Err(Error::ResponseError(response)) => serde_json::from_str(&response.content).unwrap(),
        _ => panic!("the call did not fail with a response"),
    }
}
