import { type Judge, judge } from '../judge.js'
import { createChatChecker } from './check-chunks.js'
import { CHAT_CLIENTS, type ChatClient } from './clients/names.js'
import { explainChat } from './explain.js'
import { CHAT_PROFILES, type ChatProfile } from './invariant.js'
import { neededChatFraming } from './invariants/framing.js'
import { CHAT_INVARIANTS } from './invariants/index.js'

/** The judge of Chat Completions. */
export const CHAT_JUDGE: Judge = judge<ChatProfile, ChatClient>(
  { api: 'chat', rules: CHAT_INVARIANTS, rulesName: 'CHAT_INVARIANTS', resumes: false },
  {
    profiles: CHAT_PROFILES,
    clients: Object.fromEntries(CHAT_CLIENTS.map((client) => [`chat:${client}`, client])),
    checkers: (profile, without) => () => createChatChecker(profile, without).checker,
    framing: neededChatFraming,
    explain: explainChat,
  },
)
