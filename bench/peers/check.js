/* Validation for peers without a schema language: returns the first violated rule, or undefined. */

export function createProblem(body) {
  if (typeof body !== 'object' || body === null) return 'the body must be an object';
  if (body.title === undefined) return 'title is required';
  if (typeof body.title === 'string' && body.title.trim() === '') return 'title must not be blank';
  return fieldProblem(body);
}

export function updateProblem(body) {
  if (typeof body !== 'object' || body === null) return 'the body must be an object';
  if (body.completed != null && typeof body.completed !== 'boolean') return 'completed must be true or false';
  return fieldProblem(body);
}

function fieldProblem({ title, description, priority }) {
  if (title != null && (typeof title !== 'string' || title.length < 1 || title.length > 200)) {
    return 'title must be a string of 1 to 200 characters';
  }
  if (description != null && (typeof description !== 'string' || description.length > 1000)) {
    return 'description must be a string of at most 1000 characters';
  }
  if (priority != null && (!Number.isInteger(priority) || priority < 1 || priority > 5)) {
    return 'priority must be an integer from 1 to 5';
  }
  return undefined;
}
