import { CLIENTS, type Client } from '../clients/names.js'
import { PROFILES, type Profile } from '../invariant.js'
import { neededFraming } from '../invariants/framing.js'
import { INVARIANTS } from '../invariants/index.js'
import { type Judge, judge } from '../judge.js'
import type { StreamEvent } from '../stream-event.js'
import { responsesCheckers } from './check-events.js'
import { explainResponses } from './explain.js'

/** The judge of the Responses API. */
export const RESPONSES_JUDGE: Judge = judge<Profile, Client>(
  { api: 'responses', rules: INVARIANTS, rulesName: 'INVARIANTS', resumes: true },
  {
    profiles: PROFILES,
    clients: Object.fromEntries(CLIENTS.map((client) => [client, client])),
    checkers: responsesCheckers,
    framing: neededFraming,
    explain: (events, client) => explainResponses(events as Iterable<StreamEvent>, client),
  },
)
