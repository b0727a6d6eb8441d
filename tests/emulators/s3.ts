import { CreateBucketCommand, type S3ClientConfig } from "@aws-sdk/client-s3"
import { createS3Client } from "@switchyard/core/storage/s3"
import { buildApp } from "fauxqs"

/** An S3 emulator in this process, on loopback. `requests` are the methods and URLs that it was asked. */
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

/** A client of an emulator that runs already. */
export function connectS3(endpoint: string) {
  const config: S3ClientConfig = {
    endpoint,
    forcePathStyle: true,
    region: "eu-central-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    // The product's limits are too short for an emulator on a machine that has no time.
    requestHandler: {},
  }
  const client = createS3Client(config)
  let buckets = 0

  return {
    config,
    client,
    /** Makes an empty bucket and resolves to its name. */
    async createBucket(name = `blobs-${++buckets}`): Promise<string> {
      const CreateBucketConfiguration = { LocationConstraint: "eu-central-1" } as const
      await client.send(new CreateBucketCommand({ Bucket: name, CreateBucketConfiguration }))
      return name
    },
    close: () => client.destroy(),
  }
}
