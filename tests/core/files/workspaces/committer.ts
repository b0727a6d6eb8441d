import { isAppError } from "@switchyard/core/errors"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { openStage, put, signal } from "./stage.ts"

// One of several processes. Each increments a counter in a shared file and adds its own file in the same commit.
const [directory = "", rounds = "0"] = process.argv.slice(2)

process.once("message", async () => {
  const stage = openStage(directory)
  const session = await stage.join()
  for (let left = Number(rounds); left > 0; ) {
    await session.catchUp({ signal })
    const workspace = await openWorkspace(stage, session, { signal })
    const counter = workspacePath("counter")
    const stat = workspace.stat(counter)
    const count = stat ? Number(await workspace.readText(counter, { signal })) : 0
    const ifSha256 = stat?.type === "file" ? stat.sha256 : null
    const changes = [put("counter", String(count + 1), { ifSha256 }), put(`files/${process.pid}-${left}`, "mine")]
    try {
      await commitChanges(stage, session, changes, { signal })
      left--
    } catch (error) {
      if (!isAppError(error, "workspace_conflict")) throw error
    }
  }
  stage.close()
  process.disconnect()
})
process.send?.("ready")
