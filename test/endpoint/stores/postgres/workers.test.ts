import { serverWorkersSuite } from '../database/workers.js'
import { describeWithPostgres, startPostgres } from './cluster.js'

describeWithPostgres('serve --workers on Postgres', () => serverWorkersSuite(startPostgres))
