/** What the URI of the type of each problem begins with (api.md: "Errors"). */
export const PROBLEM_TYPES = 'urn:problem-type:todo-service:';
