/**
 * The Python program that runs cells within the boundary, as process 1 of it. It reads lines of JSON: `{"run": CODE, "mark":
 * TEXT}` runs a cell, `{"interrupt": true}` interrupts it, and the end of the lines ends everything. What a cell prints is
 * written as it is; then its mark, a line of JSON with its images, or with how its process died, and a line feed.
 *
 * Cells run in a child process, which is stopped between them, with all that they have started. It cannot read the memory of
 * process 1, which alone knows the marks: a cell cannot pretend to have ended.
 *
 * Its arguments: the maximum size of all images of a cell, in bytes of base64.
 */
export const DRIVER: string = String.raw`
import ast, base64, ctypes, io, json, linecache, os, select, signal, sys, traceback, types

def set_dumpable(value):
    if ctypes.CDLL(None, use_errno=True).prctl(4, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), 'prctl')

def write_all(fd, data):
    while data:
        try:
            data = data[os.write(fd, data):]
        except BlockingIOError:
            select.select([], [fd], [])

def read_lines(fd):
    rest = b''
    while True:
        data = os.read(fd, 65536)
        if not data:
            return
        *lines, rest = (rest + data).split(b'\n')
        yield from lines

def worker(cells, ends, max_images):
    set_dumpable(1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setsid()
    null = os.open('/dev/null', os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(1, 2)
    output = os.dup(1)
    me = os.getpid()
    sys.stdout = io.TextIOWrapper(io.FileIO(1, 'w', closefd=False), 'utf-8', 'backslashreplace', line_buffering=True)
    sys.stderr = sys.stdout
    sys.argv = ['']
    sys.path.insert(0, '')
    sys.setrecursionlimit(3000)
    # What a cell defines belongs to __main__, as in a notebook: also what it pickles.
    notebook = sys.modules['__main__'] = types.ModuleType('__main__')
    space = notebook.__dict__
    images = []

    def add_image(png):
        text = base64.b64encode(png).decode()
        if sum(map(len, images)) + len(text) > max_images:
            print('[an image of %d bytes was left out]' % len(png))
        else:
            images.append(text)

    def show(value):
        if value is None:
            return
        space['_'] = value
        picture = getattr(value, '_repr_png_', None)
        png = picture() if callable(picture) else None
        if isinstance(png, bytes):
            add_image(png)
        else:
            print(repr(value))

    def show_figures():
        plots = sys.modules.get('matplotlib.pyplot')
        for number in plots.get_fignums() if plots else ():
            file = io.BytesIO()
            plots.figure(number).savefig(file, format='png', bbox_inches='tight')
            add_image(file.getvalue())
        if plots:
            plots.close('all')

    def execute(code, number):
        name = '<cell %d>' % number
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        steps = [compile(tree, name, 'exec', flags)]
        if last is not None:
            steps.append(compile(ast.Expression(last.value), name, 'eval', flags))
        value = None
        for step in steps:
            value = eval(step, space)
            if step.co_flags & 0x80:
                import asyncio
                value = asyncio.run(value)
        if last is not None:
            show(value)
        show_figures()

    for number, line in enumerate(read_lines(cells), 1):
        images.clear()
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            try:
                execute(json.loads(line), number)
            finally:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        except SystemExit as end:
            if end.code not in (None, 0):
                print('SystemExit: %s' % (end.code,))
        except BaseException as error:
            frames = error.__traceback__
            while frames is not None and not frames.tb_frame.f_code.co_filename.startswith('<cell '):
                frames = frames.tb_next
            try:
                traceback.print_exception(type(error), error, frames, chain=not isinstance(error, RecursionError))
            except BaseException:
                print(type(error).__name__)
        finally:
            # A fork of the cell's that came this far.
            if os.getpid() != me:
                os._exit(0)
        os.dup2(output, 1)
        try:
            sys.stdout.flush()
        except BaseException:
            pass
        write_all(ends, json.dumps(images).encode() + b'\n')
    os._exit(0)

def main():
    # It signals all processes that it sees.
    if os.getpid() != 1:
        sys.exit('it is not process 1 of a boundary')
    max_images = int(sys.argv[1])
    os.closerange(3, 4096)
    set_dumpable(0)
    os.nice(10)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    wake, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    cells, to_cells = os.pipe2(os.O_CLOEXEC)
    ends, to_ends = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if child == 0:
        signal.set_wakeup_fd(-1)
        for fd in (wake, woken, to_cells, ends):
            os.close(fd)
        worker(cells, to_ends, max_images)
    os.close(cells)
    os.close(to_ends)
    mark, interrupting = None, False
    lines, answer = b'', []

    def end_cell(about):
        nonlocal mark, interrupting
        try:
            os.kill(-1, signal.SIGSTOP)
        except ProcessLookupError:
            pass
        write_all(1, mark + about + b'\n')
        mark, interrupting = None, False
        answer.clear()

    while True:
        # Again and again: a cell may catch it.
        if interrupting:
            os.kill(child, signal.SIGINT)
        for fd in select.select([0, ends, wake], [], [], 0.2 if interrupting else None)[0]:
            if fd == 0:
                data = os.read(0, 65536)
                if not data:
                    os._exit(0)
                *whole, lines = (lines + data).split(b'\n')
                for line in whole:
                    message = json.loads(line)
                    if 'run' in message:
                        mark = message['mark'].encode()
                        os.kill(-1, signal.SIGCONT)
                        write_all(to_cells, json.dumps(message['run']).encode() + b'\n')
                    else:
                        interrupting = mark is not None
            elif fd == ends:
                data = os.read(ends, 65536)
                answer.append(data)
                if data.endswith(b'\n') and mark is not None:
                    end_cell(b'{"images":' + b''.join(answer)[:-1] + b'}')
            else:
                os.read(wake, 4096)
                while True:
                    try:
                        pid, status = os.waitpid(-1, os.WNOHANG)
                    except ChildProcessError:
                        pid, status = child, 0
                    if pid == 0:
                        break
                    if pid == child:
                        if mark is not None:
                            end_cell(json.dumps({'died': os.waitstatus_to_exitcode(status)}).encode())
                        os._exit(0)

main()
`
