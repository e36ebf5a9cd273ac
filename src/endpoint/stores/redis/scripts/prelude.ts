/*
 * What every script begins with. A script runs as a whole, on its own: nothing else happens in Redis meanwhile. It checks first
 * and then writes, since nothing of it is undone. Its first argument is the prefix of the keys, the second its values as JSON,
 * and the others are contents, as bytes.
 *
 *   meta           the version, the counters of rows and conversations, the totals, and the run of the server: see `MEET`
 *   ids            the row of each response's id
 *   r:ROW          a response: its id, owner, state, epoch, number of entries and bytes, and its head once it has ended
 *   e:ROW          its entries: a stream, in which a block's id is where it begins and how many entries it has
 *   b:ROW          its items, one after another; `items` of r:ROW says where each is
 *   g:ROW          the contents of copies of items whose own response was deleted, by where the copies begin
 *   leases         the running responses, by when their leases end
 *   c:CID, m:CID   a conversation, and its rows
 *   used, u:OWNER  the conversations, all and an owner's, by their last use
 *   owners, bytes  the number of conversations and the bytes of each owner
 *   i:OWNER        the holders of each item
 *   k:OWNER        the row of each request's key
 *   n:OWNER        the named conversations
 *   a:OWNER        the used approvals, by when; `approvals` has the owners of any, by the next look at theirs
 *
 * Times are microseconds of the server's clock. A name is the end of its key, so that none is mistaken for another one.
 */
export const PRELUDE: string = `
local P, given = ARGV[1], cjson.decode(ARGV[2])
local call = redis.call
local meta = P .. 'meta'

local function at(kind, name)
  return P .. kind .. ':' .. name
end

local function clock()
  local time = call('TIME')
  return time[1] * 1000000 + time[2]
end

local function own(id, owner)
  local row = call('HGET', P .. 'ids', id)
  if not row then return end
  local found = call('HMGET', at('r', row), 'owner', 'state', 'cid')
  if found[1] == owner and found[2] ~= 'deleted' then return row, found[2], found[3] end
end

local function use(owner, cid)
  local now = clock()
  local used = call('ZSCORE', P .. 'used', cid)
  if not used or tonumber(used) >= now - given.stale * 1000000 then return end
  -- Without room or a disk for it, what is read is still read.
  redis.pcall('ZADD', P .. 'used', 'XX', now, cid)
  redis.pcall('ZADD', at('u', owner), 'XX', now, cid)
end

local function grow(owner, added, cid)
  -- Redis refuses -0.
  local bytes = added + 0
  if cid then call('HINCRBY', at('c', cid), 'bytes', bytes) end
  call('HINCRBY', meta, 'bytes', bytes)
  if call('HINCRBY', P .. 'bytes', owner, bytes) <= 0 then call('HDEL', P .. 'bytes', owner) end
end

local function named(owner, name)
  local packed = call('HGET', at('n', owner), name)
  return packed and cmsgpack.unpack(packed)
end

local function name(owner, name, conversation)
  call('HSET', at('n', owner), name, cmsgpack.pack(conversation))
end

local function unname(owner, name, conversation)
  call('HDEL', at('n', owner), name)
  grow(owner, -#conversation.facts)
end

local function wake()
  call('PUBLISH', P .. 'changed', '')
end

local function stamped(row)
  if not row then return {} end
  local found = call('HMGET', at('r', row), 'id', 'stamp')
  return {row, found[1], found[2]}
end
`
