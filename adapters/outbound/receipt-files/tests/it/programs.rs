//! Programs that recognise text badly, or not at all.

use std::fs::File;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::receipts::Place;
use rstest::rstest;

use super::fakes::{HEAD, program};
use super::*;

fn limits() -> Limits {
    Limits {
        recognition: Duration::from_millis(1500),
        ..Limits::default()
    }
}

/// Reads a white picture with a program.
fn read(program: impl AsRef<Path>) -> Result<ReceiptText, ReceiptFileError> {
    let files = recognising(program.as_ref().to_owned(), limits());
    wait(files.picture(made::png(&made::white(300, 300)).into()))
}

#[test]
fn words_are_those_of_the_table_with_places_in_the_picture() {
    let row = |cells: &str| format!("printf '5\\t1\\t1\\t1\\t1\\t1\\t{cells}\\n'");
    let table = [
        row(r"30\t60\t90\t30\t96.5\tFolio"),
        row(r"30\t60\t90\t30\t5.5\tmancha"),
        row(r"30\t60\t90\t30\t96.5\t "),
        row(r"x\t60\t90\t30\t96.5\tx"),
    ];
    let (_, path) = program(&format!("cat >/dev/null\n{HEAD}\n{}", table.join("\n")));
    let text = read(path).unwrap();
    assert_eq!(words(&text), ["Folio"]);
    // The picture was enlarged three times.
    let place = text.pages[0].words[0].place;
    let expected = Place {
        x: 10.0,
        y: 20.0,
        width: 30.0,
        height: 10.0,
    };
    assert_eq!(place, expected);
}

#[test]
fn without_a_program_there_is_no_recognition() {
    assert_eq!(
        read("/nowhere/tesseract"),
        Err(ReceiptFileError::NoRecognition)
    );
    assert_eq!(read("tesseract"), Err(ReceiptFileError::NoRecognition));
    assert_eq!(read("/"), Err(ReceiptFileError::NoRecognition));
}

#[rstest]
#[case::fails("exit 1", ReceiptFileError::NoRecognition)]
#[case::writes_nothing("cat >/dev/null", ReceiptFileError::NoRecognition)]
#[case::writes_garbage("head -c 100000 /dev/urandom", ReceiptFileError::NoRecognition)]
#[case::floods("yes", ReceiptFileError::TooLarge)]
#[case::hangs("sleep 60", ReceiptFileError::TooSlow)]
#[case::hangs_deaf(
    "trap '' TERM INT; while :; do sleep 1; done",
    ReceiptFileError::TooSlow
)]
#[case::ends_by_a_signal("kill -ABRT $$", ReceiptFileError::TooSlow)]
fn other_programs_are_ended(#[case] commands: &str, #[case] expected: ReceiptFileError) {
    let began = Instant::now();
    assert_eq!(read(program(commands).1), Err(expected));
    assert!(began.elapsed().as_secs() < 8, "{:?}", began.elapsed());
}

#[rstest]
#[case(r"printf '5\t\t\t\n\377\376\n5\t1\t1\t1\t1\t1\tNaN\tinf\t-1\t1e99\t99\tx\n'")]
#[case("head -c 100000 /dev/urandom")]
#[case("head -c 100000 /dev/zero")]
fn garbage_in_the_table_is_passed_over(#[case] garbage: &str) {
    let (_, path) = program(&format!("{HEAD}\n{garbage}"));
    assert_eq!(words(&read(path).unwrap()), [""; 0]);
}

#[test]
fn what_a_program_started_is_ended_with_it() {
    let (folder, path) = program("echo $$ >/dev/null\nsleep 77 &\nsleep 77");
    assert_eq!(read(path), Err(ReceiptFileError::TooSlow));
    drop(folder);
    let is_running = || {
        let processes = std::fs::read_dir("/proc").unwrap();
        processes.flatten().any(|process| {
            let command = std::fs::read(process.path().join("cmdline"));
            command.is_ok_and(|command| command == b"sleep\x0077\0")
        })
    };
    let began = Instant::now();
    while is_running() {
        assert!(began.elapsed().as_secs() < 10);
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_program_has_nothing_of_this_process() {
    let folder = tempfile::tempdir().unwrap();
    let _file = File::create(folder.path().join("open")).unwrap();
    let _socket = TcpListener::bind("127.0.0.1:0").unwrap();
    // The shell has its script open, too, and the program the folder that it lists.
    let (_, path) = program(&format!(
        "cat >/dev/null\n{HEAD}\n\
         say() {{ printf '5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t99\\t%s\\n' \"$1\"; }}\n\
         for at in /proc/$$/fd/*; do say \"fd:$(readlink \"$at\")\"; done\n\
         env | while read -r line; do say \"env:$line\"; done\n\
         say \"in:$(pwd)\"\n\
         for at in $(cut -d: -f1 /proc/net/dev | tail -n +3); do say \"net:$at\"; done"
    ));
    let text = read(&path).unwrap();
    let said = words(&text);
    let opened = said.iter().filter_map(|word| word.strip_prefix("fd:"));
    let script = path.display().to_string();
    let others: Vec<_> = opened
        .filter(|it| *it != script && *it != "/dev/null" && !it.starts_with("pipe:"))
        .collect();
    assert_eq!(others, [""; 0], "{said:?}");
    let set: Vec<_> = said
        .iter()
        .filter_map(|word| word.strip_prefix("env:"))
        .collect();
    let known = ["OMP_THREAD_LIMIT=1", "PWD=/"];
    assert!(
        set.iter()
            .all(|it| known.contains(it) || it.starts_with("_=")),
        "{set:?}"
    );
    assert!(said.contains(&"in:/"), "{said:?}");
    assert!(
        said.iter()
            .all(|it| !it.starts_with("net:") || *it == "net:lo"),
        "{said:?}"
    );
}

#[test]
fn of_many_pictures_at_once_some_are_read_and_the_others_are_told_to_wait() {
    // Each leaves a file while it runs, and says how many there are.
    let (folder, _) = program("");
    let running = folder.join("running");
    std::fs::create_dir(&running).unwrap();
    let at = running.display();
    let (_, path) = program(&format!(
        "cat >/dev/null\n: >{at}/$$\nsleep 0.2\n{HEAD}\n\
         printf '5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t99\\t%s\\n' $(ls {at} | wc -l)\nrm {at}/$$"
    ));
    let limits = Limits {
        recognition: Duration::from_secs(30),
        ..Limits::default()
    };
    let files = Arc::new(recognising(path, limits));
    let file = bytes::Bytes::from(made::png(&made::white(300, 300)));
    let processors = std::thread::available_parallelism().unwrap().get();
    let read = wait(async {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..100 {
            let (files, file) = (Arc::clone(&files), file.clone());
            tasks.spawn(async move { files.picture(file).await });
        }
        tasks.join_all().await
    });
    let busy = read
        .iter()
        .filter(|it| **it == Err(ReceiptFileError::Busy))
        .count();
    assert!(busy >= 100 - processors - limits.waiting - 4, "{busy}");
    let texts: Vec<_> = read.into_iter().flatten().collect();
    assert_eq!(texts.len() + busy, 100);
    assert!(texts.len() > limits.waiting);
    for text in texts {
        let [count] = words(&text)[..] else {
            panic!("{text:?}");
        };
        assert!(count.parse::<usize>().unwrap() <= processors, "{count}");
    }
}
