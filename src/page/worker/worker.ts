import { look } from './look.js'
import type { LookAnswer, LookRequest } from './looked.js'

addEventListener('message', async ({ data: { id, text } }: MessageEvent<LookRequest>) => {
  const answer: LookAnswer = { id, looked: await look(text) }
  postMessage(answer)
})
