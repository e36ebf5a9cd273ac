import { playTable } from './play-table.js'

playTable()
