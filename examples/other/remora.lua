-- SPDX-License-Identifier: Apache-2.0
--
-- A binding of Remora for LuaJIT, made from abi/remora.json: collections, reads, subscriptions. See docs/bindings.md.
local ffi = require "ffi"
jit.off(true, true) -- Compiled code must not call C functions that call back into Lua.

-- Parses JSON without null, empty strings, and escapes other than \". An object also lists its keys in their order.
local function parse(text)
  local at = 1
  local function value()
    local mark, word
    mark, at = text:match("^[%s:,]*(.)()", at)
    if mark == "}" or mark == "]" then return nil end -- Ends the loop of the enclosing object or array.
    if mark == "{" or mark == "[" then
      local result = {}
      for item in value do
        result[#result + 1] = item
        if mark == "{" then result[item] = value() end
      end
      return result
    elseif mark == '"' then
      word, at = text:match('^(.-[^\\])"()', at)
      return (word:gsub('\\"', '"'))
    end
    word, at = text:match("^([%w.-]+)()", at - 1)
    return word == "true" or (word ~= "false" and assert(tonumber(word), "the record has an unknown word"))
  end
  return value()
end

-- Returns the C declaration of `name`. A type of the record is a name, a pointer, an array or a function.
local function declaration(kind, name, const)
  local qualifier = const and "const " or ""
  if type(kind) == "string" then return qualifier .. kind:gsub("^handle ", "struct ") .. " " .. name end
  if kind.pointer then return declaration(kind.pointer, ("(*%s%s)"):format(qualifier, name), kind.const) end
  if kind.array then return declaration(kind.array, ("%s[%d]"):format(name, kind.length), const) end
  local parameters = {}
  for index, parameter in ipairs(kind.parameters) do parameters[index] = declaration(parameter, "") end
  return declaration(kind.result, ("%s(%s)"):format(name, #parameters > 0 and table.concat(parameters, ", ") or "void"))
end

local path = (debug.getinfo(1, "S").source:match "^@(.*/)" or "./") .. "../../abi/remora.json"
local record = parse(assert(io.open(path)):read "*a")
for _, name in ipairs(record.structures) do
  local fields, size = {}, record.structures[name].size
  for index, field in ipairs(record.structures[name].fields) do fields[index] = declaration(field.type, field.name) end
  ffi.cdef(("struct %s { %s; };"):format(name, table.concat(fields, "; ")))
  assert(ffi.sizeof("struct " .. name) == size, name .. " has another size on this platform")
end
for _, name in ipairs(record.functions) do ffi.cdef(declaration(record.functions[name], name) .. ";") end
local C, K = ffi.load(os.getenv "REMORA_LIBRARY" or "libremora.so.0"), record.constants
local remora, Client, Source, Subscription = { C = C, record = record }, {}, {}, {}
local Failure = { __tostring = function(it) return it.message end }

local function failure(it) -- Copies a remora_error.
  local family, message = C.remora_status_family(it.status), ffi.string(it.message)
  return setmetatable({ status = it.status, family = family, message = message }, Failure)
end
local details = ffi.new "struct remora_error" -- Of the last call.
local function check(status) if status ~= K.REMORA_OK then error(failure(details), 0) end end

-- Calls a function whose last parameters are an output and the error. Returns the output.
local function call(name, output, ...)
  local out, count, arguments = ffi.new(output .. "[1]"), select("#", ...), { ... }
  arguments[count + 1], arguments[count + 2] = out, details
  check(C["remora_" .. name](unpack(arguments, 1, count + 2)))
  return out[0]
end
local function structure(name, fields)
  local made = ffi.new("struct remora_" .. name) -- All bytes are 0: every field has its default.
  for field, value in pairs(fields) do made[field] = value end
  made.struct_size = ffi.sizeof(made)
  return made
end

-- Copies a value of a snapshot. Null and the empty value are nil, and integers beyond 2^53 are rounded.
local function copy(value)
  local kind, result, length = C.remora_value_type(value), {}, ffi.new "size_t[1]"
  local text, item = ffi.new "const char *[1]", ffi.new "struct remora_value"
  if kind == K.REMORA_TYPE_NONE or kind == K.REMORA_TYPE_NULL then return nil end
  if kind == K.REMORA_TYPE_BOOL then return call("value_get_bool", "int32_t", value) == 1 end
  if kind == K.REMORA_TYPE_INT then return tonumber(call("value_get_int", "int64_t", value)) end
  if kind == K.REMORA_TYPE_DOUBLE then return call("value_get_double", "double", value) end
  if kind == K.REMORA_TYPE_STRING then
    check(C.remora_value_get_string(value, text, length, details))
    return ffi.string(text[0], length[0])
  end
  for index = 1, tonumber(C.remora_value_count(value)) do
    check(C.remora_value_item(value, index - 1, text, length, item, details))
    result[text[0] == nil and index or ffi.string(text[0], length[0])] = copy(item)
  end
  return result
end

-- Copies an event, which is valid during the callback only. A NULL pointer equals nil, but counts as true.
local function event(it)
  local changes, problem = {}, it.error ~= nil and failure(it.error) or nil
  for index = 1, tonumber(it.change_count) do
    local one = it.changes[index - 1]
    changes[index] = { key = ffi.string(one.key, one.key_length), old = copy(one.old_value), new = copy(one.new_value) }
  end
  return { outcome = ffi.string(C.remora_outcome_name(it.outcome)), changes = changes, error = problem }
end

-- LuaJIT has few callbacks, so all subscriptions share one. The user data is a number: the index of the handler.
local handlers, raised = {}, nil
local function index(user_data) return tonumber(ffi.cast("intptr_t", user_data)) end
local forget = ffi.cast("void (*)(void *)", function(user_data) handlers[index(user_data)] = nil end)
local on_event = ffi.cast(declaration({ pointer = record.callbacks.remora_event_callback }, ""), function(it, user_data)
  local ok, problem = pcall(function() handlers[index(user_data)](event(it)) end)
  if not ok then raised = raised or { problem } end -- No error may leave a callback. `dispatch` raises it instead.
end)
for class, name in pairs { [Client] = "client_close", [Source] = "source_close", [Subscription] = "unsubscribe" } do
  class.__index = class
  class.close = function(self) self.handle = C["remora_" .. name](self.handle) end -- Becomes nil: NULL is ignored.
end
function remora.setup(fields)
  local config = structure("config", fields)
  config.callbacks = K.REMORA_CALLBACKS_ON_DISPATCH -- No other thread may enter Lua.
  return setmetatable({ handle = call("setup", "struct remora_client *", config) }, Client)
end
function Client:open(fields)
  local made = structure("collection_options", fields)
  return setmetatable({ handle = call("open_collection", "struct remora_source *", self.handle, made, nil) }, Source)
end
function Client:fd() return call("client_get_fd", "int32_t", self.handle) end
function Client:dispatch()
  local count = call("dispatch", "size_t", self.handle)
  local problem = raised
  raised = nil
  if problem then error(problem[1], 0) end
  return tonumber(count)
end
function Source:refresh(timeout_ms) call("refresh", "int32_t", self.handle, nil, timeout_ms) end
function Source:get(key, pointer)
  local snapshot = call("snapshot_acquire", "struct remora_snapshot *", self.handle, 0)
  ffi.gc(snapshot, C.remora_snapshot_release) -- Releases the snapshot if an error is raised below.
  local value, result = ffi.new "struct remora_value", nil
  local status = C.remora_snapshot_get_n(snapshot, key, #key, pointer, #(pointer or ""), value, details)
  if status ~= K.REMORA_ERR_NOT_FOUND then result = check(status) or copy(value) end
  C.remora_snapshot_release(ffi.gc(snapshot, nil))
  return result
end
function Source:subscribe(handler, key)
  local number = #handlers + 1
  handlers[number] = handler
  local made, data = "struct remora_subscription *", ffi.cast("void *", number)
  return setmetatable({ handle = call("subscribe", made, self.handle, key, 0, on_event, data, forget) }, Subscription)
end
return remora
