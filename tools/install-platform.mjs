// Installs the packages for checking and evaluating `sst.config.ts` under `.sst/`, from the npm registry only. Without
// these variables, SST downloads Pulumi and bun, sends telemetry, and asks the EC2 metadata endpoint for credentials.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const install = spawnSync("npx", ["sst", "install"], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  stdio: ["ignore", "inherit", "inherit"],
  shell: process.platform === "win32",
  env: {
    ...process.env,
    SST_SKIP_DEPENDENCY_CHECK: "1",
    SST_NO_BUN: "1",
    SST_TELEMETRY_DISABLED: "1",
    SST_STAGE: "ci",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "none",
    AWS_SECRET_ACCESS_KEY: "none",
  },
})
process.exit(install.status ?? 1)
