//! Sends content as reqwest does it: with an offer of h2c, with Expect, and after pauses.
use reqwest::{Body, Client, RequestBuilder, header::HeaderMap};
use std::{env::args, error::Error, time::Duration};

const ITEM: &str = r#"{"title":"Rust"}"#;

async fn post(request: RequestBuilder, expected: u16, content: &'static str) -> Result<(), Box<dyn Error>> {
    let request = request.header("Content-Type", "application/json").body(Body::from(content));
    let response = request.send().await?;
    let status = response.status().as_u16();
    response.bytes().await?;
    if status != expected { return Err(format!("{status} instead of {expected}").into()); }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = args().collect();
    let client = Client::new();
    let to = |url: &String| client.post(format!("{url}/api/todos"));
    let mut offer = HeaderMap::new();
    offer.insert("Connection", "Upgrade, HTTP2-Settings".parse()?);
    offer.insert("Upgrade", "h2c".parse()?);
    offer.insert("HTTP2-Settings", "AAQAAP__".parse()?);
    for _ in 0..10 {
        post(to(&args[1]).headers(offer.clone()), 201, ITEM).await?;
        post(to(&args[1]).header("Expect", "100-continue"), 201, ITEM).await?;
    }
    post(to(&args[1]), 400, "{").await?;
    post(to(&args[2]), 201, ITEM).await?;
    for pause in &args[3..] {
        tokio::time::sleep(Duration::from_millis(pause.parse()?)).await;
        post(to(&args[2]), 201, ITEM).await?;
    }
    Ok(())
}
