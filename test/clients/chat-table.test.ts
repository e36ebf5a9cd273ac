import { chatInFrontOf } from '../support/chat-in-front.js'
import { playTable } from './play-table.js'

playTable({ inFront: chatInFrontOf })
