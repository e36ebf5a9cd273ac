// `npm run build` without its log, which is shown only if it fails.

import { quietly } from './quietly.mjs'

quietly('building...', 'npm run --silent build')
