import { serverWorkersSuite } from '../database/workers.js'
import { describeWithRedis, startRedis } from './server.js'

describeWithRedis('serve --workers on Redis', () => serverWorkersSuite(startRedis))
