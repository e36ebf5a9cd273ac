import { look } from './look.js'
import type { LookAnswer, LookRequest } from './look-result.js'

addEventListener('message', async ({ data: { id, source } }: MessageEvent<LookRequest>) => {
  const answer = (part: LookAnswer): void => postMessage(part)
  answer({ id, looked: await look(source, (told) => answer({ id, ...told })) })
})
