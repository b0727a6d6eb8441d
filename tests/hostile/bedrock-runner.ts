import { AppError } from "@switchyard/core/errors"
import { runRunner } from "../../packages/runner/src/run.ts"

// The runner's own program, with the session's AWS credentials like on a stage. The first attempt to load them fails,
// with an error that quotes a secret.

const {
  AWS_ACCESS_KEY_ID: accessKeyId = "",
  AWS_SECRET_ACCESS_KEY: secretAccessKey = "",
  AWS_SESSION_TOKEN: sessionToken = "",
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path = "",
} = process.env
let isFirst = true

async function awsCredentials() {
  if (!isFirst) return { accessKeyId, secretAccessKey, sessionToken }
  isFirst = false
  throw new AppError("storage_unavailable", `There was no answer from http://169.254.170.2${path}.`)
}

await runRunner(process.env, { wrapHost: (host) => ({ ...host, awsCredentials }) })
process.exit(0)
