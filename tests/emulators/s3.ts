import { CreateBucketCommand, type S3ClientConfig } from "@aws-sdk/client-s3"
import { createS3Client } from "@switchyard/core/storage/s3"
import { buildApp } from "fauxqs"

/** Starts an S3 emulator in this process, on loopback. `requests` lists the method and URL of each request. */
export async function startS3() {
  const app = buildApp({ logger: false })
  const requests: string[] = []
  app.addHook("onRequest", async (request) => {
    requests.push(`${request.method} ${request.url}`)
  })
  const endpoint = await app.listen({ host: "127.0.0.1", port: 0 })
  const { close, ...s3 } = connectS3(endpoint)
  return {
    ...s3,
    requests,
    async stop(): Promise<void> {
      close()
      await app.close()
    },
  }
}

/** Connects to an emulator that is already running. */
export function connectS3(endpoint: string) {
  const config: S3ClientConfig = {
    endpoint,
    forcePathStyle: true,
    region: "eu-central-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    // The product's timeouts are too short for an emulator on a busy machine.
    requestHandler: {},
  }
  const client = createS3Client(config)
  let buckets = 0

  return {
    config,
    client,
    /** Creates an empty bucket and resolves to its name. */
    async createBucket(name = `blobs-${++buckets}`): Promise<string> {
      const CreateBucketConfiguration = { LocationConstraint: "eu-central-1" } as const
      await client.send(new CreateBucketCommand({ Bucket: name, CreateBucketConfiguration }))
      return name
    },
    close: () => client.destroy(),
  }
}
