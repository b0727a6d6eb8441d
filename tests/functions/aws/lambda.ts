import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { startDynamo } from "../../emulators/dynamo.ts"
import { startS3 } from "../../emulators/s3.ts"

export const ORIGIN = "origin-secret-origin-secret-origin-secret"
export const TOKEN = "admin-token-admin-token-admin-token-admin"
export const MASTER_KEY = Buffer.alloc(32, 9).toString("base64")

export interface Context {
  awsRequestId: string
  getRemainingTimeInMillis(): number
}

export interface Answer {
  status: number
  headers: Record<string, string>
  text: string
}

type Prelude = { statusCode: number; headers: Record<string, string> }
type Streaming = (event: unknown, stream: PassThrough, context: Context) => Promise<void>

/** Lambda's global for streaming functions. A streamed response begins with its status and headers. */
export const awslambda = {
  streamifyResponse: (handler: Streaming) => handler,
  HttpResponseStream: {
    from: (stream: PassThrough, prelude: Prelude) => Object.assign(stream, { prelude }),
  },
}

/**
 * Starts DynamoDB and S3 emulators and a fake Lambda API on loopback. Returns the environment that configures the
 * functions for them.
 */
export async function startAws() {
  const [dynamo, s3] = await Promise.all([startDynamo(), startS3()])
  const invocations: unknown[] = []
  let onInvoke: (payload: unknown) => void = () => {}
  let onAsk: (payload: unknown) => Promise<unknown> = async () => ({})
  let refused = false
  const lambda = createServer(async (request, response) => {
    const payload = JSON.parse(await text(request))
    invocations.push({ url: request.url, type: request.headers["x-amz-invocation-type"], payload })
    const isEvent = request.headers["x-amz-invocation-type"] === "Event"
    if (!isEvent && !refused) return response.writeHead(200).end(JSON.stringify(await onAsk(payload)))
    response.writeHead(refused ? 400 : 202).end("{}")
    if (!refused) onInvoke(payload)
  })
  lambda.listen(0, "127.0.0.1")
  await once(lambda, "listening")
  const { port } = lambda.address() as AddressInfo
  const env = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_ENDPOINT_URL_DYNAMODB: String(dynamo.config.endpoint),
    AWS_ENDPOINT_URL_S3: String(s3.config.endpoint),
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${port}`,
    TABLE: await dynamo.createTable(),
    BUCKET: await s3.createBucket(),
    WORKER: "the-worker",
    VERSION: "1.2.3",
    MASTER_KEY,
    ORIGIN_SECRET: ORIGIN,
    ADMIN_TOKEN: TOKEN,
  }
  return {
    env,
    /** Received invocations. */
    invocations,
    /** Sets the receiver of asynchronous invocations. Without one, or while Lambda refuses, they are dropped. */
    invokes(handler: (payload: unknown) => void) {
      onInvoke = handler
    },
    /** Sets the function that answers synchronous invocations. */
    answers(handler: (payload: unknown) => Promise<unknown>) {
      onAsk = handler
    },
    refuse(whether: boolean) {
      refused = whether
    },
    async stop() {
      lambda.closeAllConnections()
      lambda.close()
      await Promise.all([dynamo.stop(), s3.stop()])
    },
  }
}

export function context(remainingMs = 900_000): Context {
  const ends = performance.now() + remainingMs
  return { awsRequestId: crypto.randomUUID(), getRemainingTimeInMillis: () => ends - performance.now() }
}

/** Calls a streaming handler the way its function URL does. */
export async function ask(
  handler: unknown,
  method: string,
  url: string,
  { headers = {}, json, remainingMs }: { headers?: Record<string, string>; json?: unknown; remainingMs?: number } = {},
): Promise<Answer> {
  const { pathname, search } = new URL(url, "https://x")
  const event = {
    version: "2.0",
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: {
      "x-origin-secret": ORIGIN,
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      ...headers,
    },
    requestContext: { domainName: "abc.lambda-url.eu-central-1.on.aws", http: { method, path: pathname } },
    body: json === undefined ? undefined : Buffer.from(JSON.stringify(json)).toString("base64"),
    isBase64Encoded: json !== undefined,
  }
  const stream = new PassThrough() as PassThrough & { prelude?: Prelude }
  const [body] = await Promise.all([text(stream), (handler as Streaming)(event, stream, context(remainingMs))])
  return { status: stream.prelude?.statusCode ?? 0, headers: stream.prelude?.headers ?? {}, text: body }
}
