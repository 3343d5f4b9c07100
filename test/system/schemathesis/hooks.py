"""Corrects what Schemathesis sends otherwise than the API document says."""

import schemathesis


# Conditions that any resource has, as in schemathesis.toml.
CONDITIONS = ['{"id": {"gte": 1}}', '{"or": [{"id": 3}, {"not": {"id": {"in": [1, 2]}}}]}']


@schemathesis.hook
def before_load_schema(context, document):
    """The coverage phase cannot make the quotes of an `If-Match`, nor a condition, but takes constants."""
    for parameter in parameters_of(document):
        if parameter.get("name") == "If-Match":
            parameter["schema"] = {"anyOf": [{"const": "*"}, parameter["schema"]]}
        if parameter.get("name") == "where":
            parameter["schema"] = {"type": "string", "enum": CONDITIONS}
    # A request may have members that it cannot set, with the values that the item has.
    for name, schema in document["components"]["schemas"].items():
        if name.startswith(("Create", "Update", "Patch")):
            for member in schema.get("properties", {}).values():
                if member.get("readOnly"):
                    allowed = initial(member) if name.startswith("Create") else None
                    member.clear()
                    member["enum"] = [None] if allowed is None else [None, allowed]


def initial(member):
    """The value that a read-only member of a type may have in a create request."""
    return {"integer": 0, "boolean": False, "string": "0001-01-01T00:00:00"}[member["type"]]


def parameters_of(document):
    """The parameters of each operation, and those that operations share by references."""
    yield from document["components"].get("parameters", {}).values()
    for operations in document["paths"].values():
        for operation in operations.values():
            yield from operation.get("parameters", [])


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.query:
        case.query = consistent(impatient(written(case.query)))


def consistent(query):
    """A document cannot say that `id` and `id.eq` must not differ."""
    return {name: value for name, value in query.items() if name.removesuffix(".eq") == name or name.removesuffix(".eq") not in query}


def impatient(query):
    """A wait for requests may last a minute, and none of them comes."""
    wait = str(query.get("waitMs", ""))
    is_valid = wait.isdecimal() and int(wait) <= 60_000
    return {**query, "waitMs": min(int(wait), 20)} if is_valid else query


def written(value):
    """A query string has `true` and `false`, not Python's `True`."""
    if isinstance(value, dict):
        return {name: written(each) for name, each in value.items()}
    if isinstance(value, list):
        return [written(each) for each in value]
    return str(value).lower() if isinstance(value, bool) else value


# What cannot be parsed in these fields is ignored, so no text in them is invalid.
IGNORED_IF_INVALID = {"If-None-Match", "Last-Event-ID"}


@schemathesis.hook
def filter_case(context, case):
    data = case.meta.phase.data if case.meta else None
    is_negative = case.meta is not None and case.meta.generation.mode.is_negative
    return not (is_negative and getattr(data, "parameter", None) in IGNORED_IF_INVALID)
