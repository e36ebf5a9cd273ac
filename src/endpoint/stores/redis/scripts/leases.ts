/**
 * Takes a lease that has expired, or by force. A response is doubtful if Redis may have lost entries since its writer last knew
 * that it had all of them.
 */
export const CLAIM: string = `
local row, state = own(given.id, given.owner)
if state ~= 'running' then return end
local now = clock()
if not given.isForced and tonumber(call('ZSCORE', P .. 'leases', row)) > now then return end
local epoch = call('HINCRBY', at('r', row), 'epoch', 1)
call('ZADD', P .. 'leases', now + math.floor(given.seconds * 1000000), row)
local found = call('HMGET', at('r', row), 'count', 'doubts')
return {epoch, tonumber(found[1]), found[2] == (call('HGET', meta, 'doubts') or '0') and 0 or 1}
`

export const EXPIRED: string = `
local found = {}
for nth, row in ipairs(call('ZRANGEBYSCORE', P .. 'leases', '-inf', clock(), 'LIMIT', 0, given.max)) do
  found[nth] = call('HMGET', at('r', row), 'id', 'owner')
end
return found
`
