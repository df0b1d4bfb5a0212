-- Runs sixty generations of Lua's example of the Game of Life.

local f = assert(io.open("/data/life.lua"))
local source = f:read("a"):gsub("gen>2000", "gen>60")
f:close()

while io.read(1) do
  local out = {}
  local write = function(...) for _, v in ipairs({...}) do out[#out + 1] = tostring(v) end end
  local env = setmetatable({io = {write = write}, write = write}, {__index = _G})
  assert(load(source, "life", "t", env))()
  local text, sum = table.concat(out), 0
  for i = 1, #text, 97 do sum = (sum * 31 + text:byte(i)) & 0xffffffff end
  io.write(sum, " ", #text, "\n")
  io.flush()
end
