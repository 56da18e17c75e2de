// beside Latchkey: cannot find 'NSURLSessionDownloadTaskResumeData' in scope
// As in Alamofire: what only Apple's Foundation has is asked for by the name of another framework.
import Foundation

#if canImport(Security)
  func resumeData(of error: NSError) -> Data? { error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data }
#endif
