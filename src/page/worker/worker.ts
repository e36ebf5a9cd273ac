import { look } from './look.js'
import type { LookAnswer, LookRequest } from './looked.js'

addEventListener('message', async ({ data: { id, text } }: MessageEvent<LookRequest>) => {
  const answer = (part: LookAnswer): void => postMessage(part)
  answer({ id, looked: await look(text, (records) => answer({ id, records })) })
})
