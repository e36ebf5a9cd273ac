/** Approvals are consumed together, or none of them. */
export const APPROVALS: string = `
local function isConsumed(owner, ids)
  for _, id in ipairs(ids) do
    if call('ZSCORE', at('a', owner), id) then return true end
  end
  return false
end

local function consume(owner, ids, now)
  for _, id in ipairs(ids) do call('ZADD', at('a', owner), now, id) end
  if #ids > 0 then call('ZADD', P .. 'approvals', 'NX', now, owner) end
end
`

export const CONSUME: string = `${APPROVALS}
if isConsumed(given.owner, given.ids) then return 0 end
consume(given.owner, given.ids, clock())
return 1
`
