//! Downloads: a bounded number at a time, of an account and of all.

use application::BatchRows;

use super::*;

type Download = BatchRows;

async fn download(process: &Process, holder: &Holder, id: BatchId) -> Result<Download, BatchError> {
    let access = access(holder);
    let read = process.batches.download(&access, id, RowNumber(0)).await;
    Ok(read?.found)
}

#[tokio::test]
async fn the_fifth_download_of_an_account_is_refused_until_one_of_the_others_ends() {
    let (world, process, holder, id) = start_batch(ready(2)).await;
    let mut downloads = Vec::new();
    for _ in 0..4 {
        downloads.push(download(&process, &holder, id).await.unwrap());
    }
    let fifth = download(&process, &holder, id).await;
    assert!(matches!(fifth, Err(BatchError::TooManyDownloads)));
    let bank_lines = async || process.batches.bank_lines(&access(&holder), id).await;
    let sixth = bank_lines().await;
    assert!(matches!(sixth, Err(BatchError::TooManyDownloads)));
    // Pages of rows need no place.
    assert_eq!(process.rows(&holder, id, 0).await.len(), 2);
    let ana = person("ana", Role::Admin);
    let of_ana = world.holder(&ana, Environment::Test).await;
    let others = process.create(&of_ana, ready(1)).await;
    download(&process, &of_ana, others).await.unwrap();
    // A refused one takes no place.
    downloads.pop();
    let mut again = download(&process, &holder, id).await.unwrap();
    assert_eq!(again.next().await.unwrap().unwrap().len(), 2);
    assert!(again.next().await.unwrap().is_none());
    assert!(download(&process, &holder, id).await.is_err());
    drop(again);
    assert_eq!(bank_lines().await.unwrap().found.len(), 2);
    download(&process, &holder, id).await.unwrap();
}

#[tokio::test]
async fn all_accounts_together_have_so_many_downloads() {
    let (world, process, ..) = start_batch(ready(1)).await;
    let mut downloads = Vec::new();
    for number in 0..8 {
        let person = person(&format!("person-{number}"), Role::Admin);
        let holder = world.holder(&person, Environment::Test).await;
        let id = process.create(&holder, ready(1)).await;
        for _ in 0..4 {
            downloads.push(download(&process, &holder, id).await.unwrap());
        }
    }
    let late = person("late", Role::Admin);
    let holder = world.holder(&late, Environment::Test).await;
    let id = process.create(&holder, ready(1)).await;
    let refused = download(&process, &holder, id).await;
    assert!(matches!(refused, Err(BatchError::TooManyDownloads)));
    downloads.pop();
    download(&process, &holder, id).await.unwrap();
}
