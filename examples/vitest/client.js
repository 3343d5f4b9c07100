/** Creates a to-do; tries again while the service asks for that. */
export async function createTodo(baseUrl, todo, tries = 3) {
  const response = await fetch(`${baseUrl}/api/todos`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(todo),
  });
  if (response.status === 503 && tries > 1) return createTodo(baseUrl, todo, tries - 1);
  if (!response.ok) throw new Error(await reasonOf(response));
  return response.json();
}

/** The code of a problem, or the status of any other response, such as a gateway's page. */
async function reasonOf(response) {
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  return isProblem ? (await response.json()).code : `status ${response.status}`;
}
