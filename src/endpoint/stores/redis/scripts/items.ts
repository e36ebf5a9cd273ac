/** Who holds an item: the rows of its responses, in their order, each with what it is there, and where. */
export const HOLDERS: string = `
local function holders(owner, id)
  local found = {}
  local listed = call('HGET', at('i', owner), id) or ''
  for row, kind, start, size in string.gmatch(listed, '(%d+)(%a)(%d+)%+(%d+);') do
    found[#found + 1] = {row = row, kind = kind, start = tonumber(start), size = tonumber(size)}
  end
  return found
end

local function listed(holder)
  return string.format('%s%s%.0f+%.0f;', holder.row, holder.kind, holder.start, holder.size)
end

local function bytesOf(holder)
  if holder.kind == 'g' then return call('HGET', at('g', holder.row), holder.start) end
  return call('GETRANGE', at('b', holder.row), holder.start, holder.start + holder.size - 1)
end
`

/** Reads an item. Of several holders, one whose own it is, or else the first; and the last one has its name. */
export const FIND_ITEM: string = `${HOLDERS}
local all = holders(given.owner, given.id)
local last = all[#all]
if not last then return end
local from
for _, holder in ipairs(all) do
  if not from and holder.kind ~= 'i' then from = holder end
end
local found = call('HMGET', at('r', last.row), 'id', 'cid')
use(given.owner, found[2])
return {found[1], from and 1 or 0, bytesOf(from or all[1])}
`
