import { type Finding, faultAt } from "../facts/finding.ts"
import { faultsOf, type Project } from "../facts/project.ts"

/** Finds names that a Python file uses, but that neither the file nor Python defines. */
export function checkPythonNames(project: Project): Finding[] {
  return faultsOf(project, "python", (path, { unbound }) => {
    const text = project.files.get(path) ?? ""
    const isOfTwo = OF_TWO.test(text)
    return unbound
      .filter(({ name }) => !BUILT_IN.has(name) && !/^_+$|^__\w+__$/.test(name) && !(isOfTwo && PYTHON_2.has(name)))
      .map(({ name, line }) =>
        faultAt(line, "missing_name", `"${name}" is used, but the file neither defines nor imports it.`),
      )
  })
}

/** Matches files that also run in Python 2, or that test whether names exist. */
const OF_TWO = /\bPY[23]\b|\bsix\b|version_info|NameError|python_2|__future__/

const PYTHON_2 = new Set(
  "apply basestring buffer cmp coerce execfile file intern long raw_input reduce reload unichr unicode xrange WindowsError".split(
    " ",
  ),
)

const BUILT_IN = new Set(
  `ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError
  BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError
  DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup False FileExistsError
  FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError
  IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError
  NameError None NotADirectoryError NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning
  PermissionError ProcessLookupError PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError
  RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True
  TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning
  UserWarning ValueError Warning WindowsError ZeroDivisionError abs aiter all anext any ascii bin bool breakpoint bytearray
  bytes callable chr classmethod compile complex copyright credits delattr dict dir display divmod enumerate eval exec exit
  filter float format frozenset get_ipython getattr globals hasattr hash help hex id input int isinstance issubclass iter len
  license list locals map match max memoryview min next object oct open ord pow print property quit range repr reveal_locals
  reveal_type reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip`.split(/\s+/),
)
