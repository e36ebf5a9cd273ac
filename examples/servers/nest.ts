// The Responses API in Nest: npx nest build, then node dist/nest.js [PORT]
import { pipeline } from 'node:stream/promises'
import { type ArgumentsHost, Body, Catch, Controller, Module, Post, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import type { Response } from 'express'
import { collectResponse, type ResponseRequest, translate } from 'harmony-responses'
import { SSE_HEADERS, sseStream } from 'harmony-responses/sse'
import { generate } from './model.mjs'
import { refusal } from './refusal.mjs'

@Controller('v1/responses')
class ResponsesController {
  @Post()
  async create(@Body() request: ResponseRequest & { stream?: boolean }, @Res() outgoing: Response) {
    const left = new AbortController()
    outgoing.status(200).once('close', () => left.abort()) // Nest's own status is 201
    const events = translate(generate(request, left.signal), { request, signal: left.signal })
    if (!request.stream) return outgoing.json(await collectResponse(events))
    return pipeline(sseStream(events), outgoing.set(SSE_HEADERS)) // at the client's pace
  }
}

@Catch()
class Refusals {
  catch(error: unknown, host: ArgumentsHost) {
    const outgoing = host.switchToHttp().getResponse<Response>()
    if (outgoing.headersSent) return outgoing.destroy() // the client has left
    const { status, body } = refusal(error)
    return outgoing.status(status).json(body)
  }
}

@Module({ controllers: [ResponsesController] })
class Site {}

const site = await NestFactory.create<NestExpressApplication>(Site, { logger: ['error', 'warn'] })
site.useBodyParser('json', { limit: '32mb' }).useGlobalFilters(new Refusals())
await site.listen(Number(process.argv[2] ?? 3000), '127.0.0.1')
console.log(await site.getUrl())
