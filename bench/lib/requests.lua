-- Sends the requests of a file, one after the other, again and again. A line of it is a method, a target and, where the
-- request has them, a body and an If-None-Match, with a tab between them.
local requests = {}
local at = 0

function init(args)
  local json = { ["Content-Type"] = "application/json" }
  for line in io.lines(args[1]) do
    local method, target, body, tag = line:match("^(%S+)\t([^\t]+)\t?([^\t]*)\t?(.*)$")
    if tag ~= "" then
      requests[#requests + 1] = wrk.format(method, target, { ["If-None-Match"] = tag })
    elseif body == "" then
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
