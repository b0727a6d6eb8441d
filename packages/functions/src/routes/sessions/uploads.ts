import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { storeArtifact } from "@switchyard/core/kernel/artifact"
import { checkImage } from "@switchyard/core/sessions/requests/request-images"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("tasks")

const Upload = z
  .object({
    path: z.string().describe("Path for `images` or the `screenshots` of a task, relative to `/api/v1/sessions/{id}/`"),
    filename: z.string(),
    size: z.int().nonnegative().describe("In bytes"),
    media_type: z.string().describe("Detected from the content; the file name doesn't matter"),
    width: z.int().positive().describe("In pixels"),
    height: z.int().positive().describe("In pixels"),
  })
  .openapi("Upload")

export const routes = {
  create: endpoint.post("/api/v1/sessions/{id}/uploads", {
    summary: "Upload an image for a request or a task: PNG, JPEG, GIF or WebP of up to 5 MB",
    request: {
      params: SessionId,
      body: {
        content: {
          "multipart/form-data": { schema: z.object({ file: z.any().openapi({ type: "string", format: "binary" }) }) },
        },
        required: true,
      },
    },
    responses: answers(Upload, "The image", 201),
  }),
}

/** Serves uploads of images for models and agents. Uploads are deleted with their session. */
export function uploadRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  return createRoutes().openapi(routes.create, async (c) => {
    const { owner } = principal(c)
    const { sid, state } = await deps.sessions.find(owner, c.req.valid("param").id, options)
    const { file } = await c.req.parseBody()
    if (!(file instanceof File)) throw new AppError("validation_error", "Send the image in the form field `file`.")
    const bytes = new Uint8Array(await file.arrayBuffer())
    const { media_type, width, height } = checkImage(bytes)
    await deps.limits.requireBytes(owner, sid, bytes.byteLength, options)
    const { incarnation } = state.session
    const { path, size } = await storeArtifact(deps.blobs, { sid, incarnation }, bytes, options)
    return c.json({ path, filename: file.name, size, media_type, width, height }, 201)
  })
}
