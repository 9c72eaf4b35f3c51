//! Names as programming languages take them.

use std::collections::{HashMap, HashSet};

use crate::names;

/// `searchItems` for `search_items`.
pub(crate) fn camel(name: &str) -> String {
    identifier(name, |words| {
        let (first, rest) = words.split_first()?;
        Some(first.clone() + &rest.iter().map(|word| capitalised(word)).collect::<String>())
    })
}

/// `search_items` for `searchItems`.
pub(crate) fn snake(name: &str) -> String {
    identifier(name, |words| (!words.is_empty()).then(|| words.join("_")))
}

/// `SearchItems` for `search_items`, as a part of a type's name; empty for a name that has no letters or digits.
pub(crate) fn pascal(name: &str) -> String {
    // Types have the names of all that they are in.
    const MOST: usize = 64;
    let name: String = name.chars().take(MOST).collect();
    if name.is_ascii() {
        return not_a_number(names::words(&name).iter().map(|word| capitalised(word)).collect());
    }
    capitalised(&kept(&name))
}

/// Never begins with `_` but before a digit: names of a module's own do.
fn identifier(name: &str, form: impl Fn(&[String]) -> Option<String>) -> String {
    if !name.is_ascii() {
        let kept = kept(name);
        let trimmed = kept.trim_matches('_');
        return if trimmed.is_empty() { "tool".to_owned() } else { not_a_number(trimmed.to_owned()) };
    }
    match form(&names::words(name)) {
        None => "tool".to_owned(),
        Some(name) => not_a_number(name),
    }
}

/// A name as it is, with `_` for what an identifier must not have: how parameters are called, and names beyond ASCII.
pub(crate) fn kept(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c == '_' || is_letter(c) || c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('_') {
            out.push('_');
        }
    }
    if out.trim_matches('_').is_empty() && !name.chars().all(|c| c == '_') || out.is_empty() {
        return "tool".to_owned();
    }
    not_a_number(out)
}

fn not_a_number(name: String) -> String {
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Letters that may stand anywhere in an identifier of JavaScript and Python, and that Python's normalisation (NFKC) leaves alone: of the
/// scripts that are written most.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || matches!(c,
            'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ı' | 'Ĵ'..='ľ' | 'Ł'..='ň' | 'Ŋ'..='ž'
            | 'Α'..='Ρ' | 'Σ'..='ώ' | 'Ѐ'..='ҁ' | 'Ҋ'..='ԯ'
            | 'א'..='ת' | 'ؠ'..='ي' | 'अ'..='ह' | 'ก'..='ะ'
            | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '一'..='鿿' | '가'..='힣')
}

/// Whether a name stands for itself in code: of ASCII alone, so that every tool agrees.
pub(crate) fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
        && !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Names of one scope that nobody has twice.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    taken: HashSet<String>,
    /// Where the numbers of a name have got to.
    next: HashMap<String, usize>,
}

impl Scope {
    /// A scope in which these names are taken already.
    pub(crate) fn with(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { taken: names.into_iter().map(Into::into).collect(), next: HashMap::new() }
    }

    /// The name, with a number behind it where it is taken.
    pub(crate) fn take(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let number = self.next.entry(name.to_owned()).or_insert(2);
        while !self.taken.insert(free.clone()) {
            free = format!("{name}{number}");
            *number += 1;
        }
        free
    }
}

/// The words of a list that is written as one text.
fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|other| other == word)
}

/// A name that TypeScript keeps for itself gets a `_` behind it. So does what would change a module: `then` makes a promise of it.
pub(crate) fn free_in_typescript(name: String) -> String {
    if has(TYPESCRIPT, &name) { name + "_" } else { name }
}

/// A keyword of Python gets a `_` behind it.
pub(crate) fn free_in_python(name: String) -> String {
    if has(PYTHON, &name) { name + "_" } else { name }
}

/// So does a built-in function, which a module should not hide.
pub(crate) fn function_in_python(name: String) -> String {
    if has(PYTHON, &name) || has(BUILTINS, &name) { name + "_" } else { name }
}

/// The name of a Python module, which must not take the place of one of the standard library.
pub(crate) fn module_in_python(name: &str) -> String {
    let name = name.replace('-', "_");
    if has(PYTHON, &name) || has(STANDARD_LIBRARY, &name) { name + "_tools" } else { name }
}

const TYPESCRIPT: &str = "\
    arguments await break case catch class const continue debugger default delete do else enum eval export exports extends false \
    finally for function globalThis if implements import in instanceof interface let new null package private protected public require \
    return static super switch then this throw true try typeof undefined var void while with yield";

const PYTHON: &str = "\
    False None True and as assert async await break class continue def del elif else except finally for from global if import in is \
    lambda nonlocal not or pass raise return try while with yield __debug__";

const BUILTINS: &str = "\
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod \
    enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass \
    iter len list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr \
    slice sorted staticmethod str sum super tuple type vars zip";

/// Of Python 3.9 to 3.14.
const STANDARD_LIBRARY: &str = "\
    abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins \
    bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent \
    configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils \
    doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc \
    genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib \
    inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma macpath mailbox mailcap marshal math mimetypes \
    mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os \
    ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty \
    pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets \
    select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants \
    sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile \
    telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty \
    turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref \
    xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_an_identifier() {
        for (name, in_camel, in_snake, in_pascal) in [
            ("search_items", "searchItems", "search_items", "SearchItems"),
            ("getConfluencePage", "getConfluencePage", "get_confluence_page", "GetConfluencePage"),
            ("get-user", "getUser", "get_user", "GetUser"),
            ("server.tool/name", "serverToolName", "server_tool_name", "ServerToolName"),
            ("2fa", "_2fa", "_2fa", "_2fa"),
            ("検索", "検索", "検索", "検索"),
            ("größe ändern!", "größe_ändern", "größe_ändern", "Größe_ändern_"),
            ("🙂call", "call", "call", "_call"),
            ("🙂 1.2", "_1_2", "_1_2", "_1_2"),
            ("1.2", "_12", "_1_2", "_12"),
            ("__proto__", "proto", "proto", "Proto"),
            ("🙂", "tool", "tool", "Tool"),
            ("é_🙂_", "é", "é", "É__"),
            ("---", "tool", "tool", ""),
            ("", "tool", "tool", ""),
        ] {
            assert_eq!((camel(name).as_str(), snake(name).as_str(), pascal(name).as_str()), (in_camel, in_snake, in_pascal), "{name}");
        }
    }

    #[test]
    fn a_parameter_keeps_its_name_where_it_can() {
        for (name, expected) in [
            ("maxResults", "maxResults"),
            ("max-results", "max_results"),
            ("_id", "_id"),
            ("__", "__"),
            ("a b.c", "a_b_c"),
            ("1st", "_1st"),
            ("ﬁnd", "_nd"),
        ] {
            assert_eq!(kept(name), expected, "{name}");
        }
    }

    #[test]
    fn words_of_a_language_are_left_to_it() {
        assert_eq!(["delete", "then", "find"].map(|name| free_in_typescript(name.into())), ["delete_", "then_", "find"]);
        assert_eq!(["import", "list", "find"].map(|name| function_in_python(name.into())), ["import_", "list_", "find"]);
        assert_eq!(["import", "list"].map(|name| free_in_python(name.into())), ["import_", "list"]);
        assert_eq!(["time", "my-server", "class"].map(module_in_python), ["time_tools", "my_server", "class_tools"]);
    }

    #[test]
    fn nobody_has_the_name_of_another() {
        let mut scope = Scope::with(["Error"]);
        assert_eq!(["Error", "A", "A", "A2"].map(|name| scope.take(name)), ["Error2", "A", "A2", "A22"]);
    }
}
