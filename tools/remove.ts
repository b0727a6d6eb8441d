// Removes a stage, with everything in it. SST refuses for a stage that `sst.config.ts` protects.
import { createSst } from "./cloud/sst.ts"
import { stageOf } from "./cloud/stage.ts"

const stage = stageOf("remove")
const code = await createSst(stage).show("remove")
if (code !== 0)
  console.error(`\n${stage} was not removed as a whole. docs/deploy.md says how production is taken down.`)
process.exit(code)
