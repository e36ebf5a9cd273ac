/** The version of the keys. */
export const VERSION = 1

/**
 * Meets the server, with each connection. If it has started again since, and may have lost its last writes, every running response
 * is in doubt until its writer finds it as it left it. Returns the version of the keys.
 */
export const CHECK_IN: string = `
local found = call('HMGET', meta, 'version', 'run', 'isSafe')
if found[1] and tonumber(found[1]) > given.version then return tonumber(found[1]) end
if found[2] ~= given.run then
  if found[2] and not (found[3] == '1' and given.isOriginal) then call('HINCRBY', meta, 'doubts', 1) end
  call('HSET', meta, 'version', given.version, 'run', given.run, 'isSafe', given.isSafe and 1 or 0)
elseif found[3] == '1' and not given.isSafe then
  call('HSET', meta, 'isSafe', 0)
end
wake()
return given.version
`

export const CLOCK: string = `return clock()`

export const STATUS: string = `
local found = call('HMGET', meta, 'responses', 'bytes', 'version')
local oldest = call('ZRANGE', P .. 'used', 0, 0, 'WITHSCORES')
return {tonumber(found[1] or 0), call('ZCARD', P .. 'leases'), call('ZCARD', P .. 'used'), call('HLEN', P .. 'owners'),
  tonumber(found[2] or 0), tonumber(found[3]), oldest[2] and tonumber(oldest[2])}
`
