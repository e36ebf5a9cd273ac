import { chatInFrontOf } from '../support/chat-in-front.js'
import { DIFFERENCES, UNTAUGHT } from './chat-differences.js'
import { playTable } from './play-table.js'

// The table of docs/clients.md, with the chat engine in front of the script.
playTable({ inFront: chatInFrontOf, differences: DIFFERENCES, untaught: UNTAUGHT })
