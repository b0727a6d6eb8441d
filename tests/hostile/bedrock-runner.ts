import { AppError } from "@switchyard/core/errors"
import { runRunner } from "../../packages/runner/src/run.ts"

// The runner's own program, with the session's AWS credentials as on a stage. The first time, they can't be loaded, and the error quotes one of its secrets.

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
