import { useShownSession } from "../../session/view/use-session.ts"

interface Props {
  images: readonly { path: string; name?: string | undefined }[]
}

/** Images that were sent with a request. Each opens in a new tab. */
export function RequestImages({ images }: Props) {
  const { sessionId: id, api } = useShownSession()
  if (images.length === 0) return null
  return (
    <ul className="mb-2 flex flex-wrap gap-2">
      {images.map(({ path, name }, at) => {
        const sha256 = path.slice("artifacts/".length)
        const url = api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path: { id, sha256 } })
        return (
          <li key={`${at.toString()} ${path}`}>
            <a href={url} target="_blank" rel="noopener noreferrer" className="block">
              <img
                src={url}
                alt={name ?? `Image ${at + 1}`}
                loading="lazy"
                className="max-h-40 max-w-full rounded-sm border border-line"
              />
            </a>
          </li>
        )
      })}
    </ul>
  )
}
