#!/usr/bin/env luajit
-- SPDX-License-Identifier: Apache-2.0
--
-- Reads a key of a collection, refreshes, and prints the changes that the subscription receives:
--
--   watch.lua SERVER_URL COLLECTION KEY STORAGE_DIR
--
-- For servers that do not sign. Prints the text of the key's value, the outcome of the refresh, and a line for each
-- change. Exits with 1 if the refresh fails.
package.path = (arg[0]:match "(.*/)" or "./") .. "?.lua;" .. package.path
local ffi = require "ffi"
local remora = require "remora"

ffi.cdef [[
struct pollfd { int fd; short events, revents; };
int poll(struct pollfd *descriptors, unsigned long count, int timeout_ms);
]]
local POLLIN, LIMIT_MS = 1, 30000

if #arg ~= 4 then
  io.stderr:write("usage: ", arg[0], " SERVER_URL COLLECTION KEY STORAGE_DIR\n")
  os.exit(2)
end

local function text(value) return tostring(type(value) == "table" and value.text or value) end

-- The loop of this host waits for one descriptor. Another host adds its own ones.
local function dispatch_until(client, is_done)
  local descriptors = ffi.new("struct pollfd[1]", { { client:fd(), POLLIN, 0 } })
  while not is_done() do
    if ffi.C.poll(descriptors, 1, LIMIT_MS) ~= 1 then error("no event arrived within 30 s", 0) end
    client:dispatch()
  end
end

local function watch(client)
  local source = client:open { name = arg[2], trust = remora.record.constants.REMORA_TRUST_OFF }
  local event
  source:subscribe(function(it) event = it end)
  print("before " .. text(source:get(arg[3])))
  source:refresh(LIMIT_MS)
  dispatch_until(client, function() return event end)
  print("outcome " .. event.outcome)
  for _, change in ipairs(event.changes) do
    print(("change %s: %s -> %s"):format(change.key, text(change.old), text(change.new)))
  end
  source:close()
end

local client
local ok, problem = pcall(function()
  client = remora.setup { server = arg[1], storage_dir = arg[4] }
  watch(client)
end)
if client then client:close() end
if not ok then
  io.stderr:write(tostring(problem), "\n")
  os.exit(1)
end
