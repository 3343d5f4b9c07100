-- Sends the requests of a file, one after the other, again and again. A line of it is a method, a
-- path below that of the list and, where the request has one, a body, with a tab between them.
local requests = {}
local at = 0

function init(args)
  local json = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do json[name] = value end
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(%S+)\t([^\t]*)\t?(.*)$")
    local target = wrk.path .. path
    if body == "" then
      requests[#requests + 1] = wrk.format(method, target)
    else
      requests[#requests + 1] = wrk.format(method, target, json, body)
    end
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
