/** Says what a store in Redis has counted or listed wrong, and which of its keys belong to nothing. */
export function redisFaults(url: string, prefix?: string): Promise<readonly string[]>
/** Says what still runs. */
export function redisRunning(url: string, prefix?: string): Promise<readonly string[]>
